package org.millrace.testing;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.testing.Sources.SourceFile;

/**
 * Finds what is hard to read: methods with many parameters, deep nesting, methods that do not fit a
 * screen, and files that know many types of the house.
 *
 * @param parameters most of a method; records may have more, since their components have names
 * @param nesting most levels of loops, branches and tries in each other
 * @param lines most of a method
 * @param collaborators most types of ours that a file imports
 */
record Shapes(int parameters, int nesting, int lines, int collaborators) {

  /** What exceeds the limits in the given files. */
  List<String> complaints(List<SourceFile> files) throws IOException {
    JavacTask task = Javadocs.task(files);
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    List<String> complaints = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) {
      long known =
          unit.getImports().stream()
              .filter(one -> !one.isStatic())
              .map(ImportTree::getQualifiedIdentifier)
              .filter(name -> name.toString().startsWith("org.millrace."))
              .count();
      if (known > collaborators) {
        complaints.add(
            "%s: imports %d types of ours, at most %d"
                .formatted(unit.getSourceFile().getName(), known, collaborators));
      }
      new Scanner(positions, complaints).scan(unit, 0);
    }
    return complaints;
  }

  /** Walks a file; the argument says how deep it is nested where it is. */
  private final class Scanner extends TreePathScanner<Void, Integer> {

    private final SourcePositions positions;
    private final List<String> complaints;

    Scanner(SourcePositions positions, List<String> complaints) {
      this.positions = positions;
      this.complaints = complaints;
    }

    @Override
    public Void visitMethod(MethodTree method, Integer depth) {
      boolean ofRecord =
          method.getReturnType() == null
              && getCurrentPath().getParentPath().getLeaf().getKind() == Kind.RECORD;
      if (!ofRecord) {
        limit(method, method.getParameters().size(), parameters, "parameters");
      }
      if (method.getBody() != null) {
        limit(method, line(method, true) - line(method, false) + 1, lines, "lines");
      }
      return super.visitMethod(method, 0);
    }

    @Override
    public Void visitIf(IfTree tree, Integer depth) {
      Tree parent = getCurrentPath().getParentPath().getLeaf();
      boolean chained = parent instanceof IfTree before && before.getElseStatement() == tree;
      return super.visitIf(tree, chained ? depth : nested(tree, depth));
    }

    @Override
    public Void visitForLoop(ForLoopTree tree, Integer depth) {
      return super.visitForLoop(tree, nested(tree, depth));
    }

    @Override
    public Void visitEnhancedForLoop(EnhancedForLoopTree tree, Integer depth) {
      return super.visitEnhancedForLoop(tree, nested(tree, depth));
    }

    @Override
    public Void visitWhileLoop(WhileLoopTree tree, Integer depth) {
      return super.visitWhileLoop(tree, nested(tree, depth));
    }

    @Override
    public Void visitDoWhileLoop(DoWhileLoopTree tree, Integer depth) {
      return super.visitDoWhileLoop(tree, nested(tree, depth));
    }

    @Override
    public Void visitTry(TryTree tree, Integer depth) {
      return super.visitTry(tree, nested(tree, depth));
    }

    @Override
    public Void visitSwitch(SwitchTree tree, Integer depth) {
      return super.visitSwitch(tree, nested(tree, depth));
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree tree, Integer depth) {
      return super.visitSwitchExpression(tree, nested(tree, depth));
    }

    private int nested(Tree tree, int depth) {
      if (depth == nesting) {
        complain(tree, "is nested " + (depth + 1) + " deep, at most " + nesting);
      }
      return depth + 1;
    }

    private void limit(MethodTree method, long found, int most, String what) {
      if (found > most) {
        complain(method, "%s has %d %s, at most %d".formatted(method.getName(), found, what, most));
      }
    }

    private long line(Tree tree, boolean end) {
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      long position =
          end ? positions.getEndPosition(unit, tree) - 1 : positions.getStartPosition(unit, tree);
      return unit.getLineMap().getLineNumber(position);
    }

    private void complain(Tree tree, String what) {
      String path = getCurrentPath().getCompilationUnit().getSourceFile().getName();
      complaints.add(path + ":" + line(tree, false) + ": " + what);
    }
  }
}
