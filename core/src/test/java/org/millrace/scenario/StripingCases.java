package org.millrace.scenario;
abstract class StripingCases { abstract Worlds worlds(); }
