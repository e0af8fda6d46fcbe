package org.millrace.testing.bad.layers.disk;

import org.millrace.testing.bad.layers.env.PlantedEnv;

/** May know {@code env}, and does. */
public record PlantedDisk(PlantedEnv env) {}
