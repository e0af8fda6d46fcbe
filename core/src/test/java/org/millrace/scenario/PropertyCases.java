package org.millrace.scenario;
abstract class PropertyCases { abstract Worlds worlds(); }
