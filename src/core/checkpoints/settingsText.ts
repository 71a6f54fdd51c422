import { applyEdits, modify, type JSONPath } from 'jsonc-parser';

const DEFAULT_INDENT = '  ';

/** The text of a settings file with one value set, or removed where it is `undefined`; all else stays byte for byte. */
export function withValue(text: string, path: JSONPath, value: unknown, isInsertion = false): string {
  const indent = indentOf(text);
  const formattingOptions = {
    insertSpaces: indent !== '\t',
    tabSize: indent === '\t' ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: isInsertion }));
}

/** How far the first indented line is indented. */
function indentOf(text: string): string {
  const indent = /^(?:\t|[ ]{1,8})(?=\S)/mu.exec(text)?.[0];
  return indent ?? DEFAULT_INDENT;
}
