package org.millrace.scenario;
abstract class AtomicityCases { abstract Worlds worlds(); }
