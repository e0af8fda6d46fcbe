package org.millrace.scenario;
abstract class MixedCallCases { abstract Worlds worlds(); }
