package org.millrace.testing.bad.layers.env;

/** Knows nobody, as it should. */
public record PlantedEnv(int number) {}
