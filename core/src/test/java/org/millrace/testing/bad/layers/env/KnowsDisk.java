package org.millrace.testing.bad.layers.env;

import org.millrace.testing.bad.layers.disk.PlantedDisk;

/** Looks up from the bottom of the house. */
public record KnowsDisk(PlantedDisk disk) {}
