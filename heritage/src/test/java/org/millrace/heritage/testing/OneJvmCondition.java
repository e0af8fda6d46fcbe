package org.millrace.heritage.testing;

import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips what is marked {@link InOneJvm} outside of that world. Stateless. */
final class OneJvmCondition implements ExecutionCondition {

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return findAnnotation(context.getElement(), InOneJvm.class)
        .filter(_ -> !(World.CHOSEN instanceof JvmWorld))
        .map(mark -> ConditionEvaluationResult.disabled(mark.value()))
        .orElse(ConditionEvaluationResult.enabled("it runs in every world"));
  }
}
