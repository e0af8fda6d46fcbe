package org.millrace.scenario;
abstract class PfsModeCases { abstract Worlds worlds(); }
