package org.millrace.scenario;
abstract class ArrayCases { abstract Worlds worlds(); }
