package org.millrace.testing;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.millrace.testing.Sources.SourceFile;

/**
 * Finds what has no Javadoc but should: every type that is not nested, and every public or
 * protected member of a public one. Overriding methods inherit theirs, and a record speaks for its
 * constructors. The compiler's own check cannot be used for this, because it also insists on tags
 * that would repeat the sentence.
 */
final class Javadocs {

  private Javadocs() {}

  /** What lacks Javadoc in the given files. */
  static List<String> missing(List<SourceFile> files) throws IOException {
    JavacTask task = task(files);
    DocTrees docs = DocTrees.instance(task);
    List<String> complaints = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) {
      new Scanner(docs, complaints).scan(unit, false);
    }
    return complaints;
  }

  /** The compiler's view of the given files, to be parsed. */
  static JavacTask task(List<SourceFile> files) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<JavaFileObject> sources = files.stream().<JavaFileObject>map(InMemory::new).toList();
    return (JavacTask) compiler.getTask(null, null, null, null, null, sources);
  }

  /** Walks a file; the argument says whether all types around are public. */
  private static final class Scanner extends TreePathScanner<Void, Boolean> {

    private final DocTrees docs;
    private final List<String> complaints;
    private boolean inInterface;

    Scanner(DocTrees docs, List<String> complaints) {
      this.docs = docs;
      this.complaints = complaints;
    }

    @Override
    public Void visitClass(ClassTree type, Boolean aroundIsPublic) {
      boolean top = getCurrentPath().getParentPath().getLeaf() instanceof CompilationUnitTree;
      boolean visible = isVisible(type.getModifiers()) && (top || aroundIsPublic);
      if (top || visible) {
        require(type, type.getSimpleName().toString());
      }
      boolean before = inInterface;
      inInterface = type.getKind() == Kind.INTERFACE || type.getKind() == Kind.ANNOTATION_TYPE;
      super.visitClass(type, visible);
      inInterface = before;
      return null;
    }

    @Override
    public Void visitMethod(MethodTree method, Boolean aroundIsPublic) {
      boolean overrides =
          method.getModifiers().getAnnotations().stream()
              .anyMatch(annotation -> annotation.getAnnotationType().toString().equals("Override"));
      boolean ofRecord =
          method.getReturnType() == null
              && getCurrentPath().getParentPath().getLeaf().getKind() == Kind.RECORD;
      if (aroundIsPublic && isVisible(method.getModifiers()) && !overrides && !ofRecord) {
        require(method, method.getName().toString());
      }
      return null; // what is declared inside a method is nobody's API
    }

    @Override
    public Void visitVariable(VariableTree field, Boolean aroundIsPublic) {
      boolean component = getCurrentPath().getParentPath().getLeaf().getKind() == Kind.RECORD;
      if (aroundIsPublic && isVisible(field.getModifiers()) && !component) {
        require(field, field.getName().toString());
      }
      return null;
    }

    private boolean isVisible(ModifiersTree modifiers) {
      Set<Modifier> flags = modifiers.getFlags();
      return flags.contains(Modifier.PUBLIC)
          || flags.contains(Modifier.PROTECTED)
          || (inInterface && !flags.contains(Modifier.PRIVATE));
    }

    private void require(Tree tree, String name) {
      if (docs.getDocComment(getCurrentPath()) == null) {
        long line =
            unit()
                .getLineMap()
                .getLineNumber(docs.getSourcePositions().getStartPosition(unit(), tree));
        String path = unit().getSourceFile().getName();
        complaints.add(path + ":" + line + ": " + name + " has no Javadoc");
      }
    }

    private CompilationUnitTree unit() {
      return getCurrentPath().getCompilationUnit();
    }
  }

  private static final class InMemory extends SimpleJavaFileObject {

    private final SourceFile file;

    InMemory(SourceFile file) {
      super(URI.create("source:///" + file.path()), JavaFileObject.Kind.SOURCE);
      this.file = file;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return file.text();
    }
  }
}
