import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';

const SRC = join(__dirname, '../../../src');
const WEBVIEW = 'webview';

/**
 * The first argument of each `t(…)` in the sources of webviews, and those that are more than a plain text. `isMeant` is
 * called with the path of each file under `src/webview`. `shared`: sources of other rooms that say something in webviews.
 */
export function textsOfWebview(
  isMeant: (path: string) => boolean,
  shared: readonly string[] = [],
): {
  readonly texts: ReadonlySet<string>;
  readonly others: readonly string[];
} {
  const texts = new Set<string>();
  const others: string[] = [];
  const collect = (argument: ts.Expression | undefined, place: string): void => {
    if (argument === undefined) return;
    if (ts.isParenthesizedExpression(argument)) collect(argument.expression, place);
    else if (ts.isConditionalExpression(argument)) {
      collect(argument.whenTrue, place);
      collect(argument.whenFalse, place);
    } else if (ts.isStringLiteral(argument) || ts.isNoSubstitutionTemplateLiteral(argument)) texts.add(argument.text);
    else others.push(`${place}: ${argument.getText()}`);
  };
  const own = readdirSync(join(SRC, WEBVIEW), { recursive: true, encoding: 'utf8' }).filter(isMeant);
  for (const name of [...own.map((path) => join(WEBVIEW, path)), ...shared]) {
    if (!/\.tsx?$/.test(name)) continue;
    const source = ts.createSourceFile(
      name,
      readFileSync(join(SRC, name), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
      name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const { expression } = node;
        const called = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
        if (called === 't') collect(node.arguments[0], name);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { texts, others };
}
