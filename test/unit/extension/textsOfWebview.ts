import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';

const WEBVIEW = join(__dirname, '../../../src/webview');

/**
 * The first argument of each `t(…)` in the sources of webviews, and those that are more than a plain text. `isMeant` is
 * called with the path of each file under `src/webview`.
 */
export function textsOfWebview(isMeant: (path: string) => boolean): {
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
  for (const name of readdirSync(WEBVIEW, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(name) || !isMeant(name)) continue;
    const source = ts.createSourceFile(
      name,
      readFileSync(join(WEBVIEW, name), 'utf8'),
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
