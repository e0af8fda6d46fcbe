package org.millrace.scenario;
abstract class ViewCases { abstract Worlds worlds(); }
