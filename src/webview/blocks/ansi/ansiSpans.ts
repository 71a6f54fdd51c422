import { Pen } from './pen';
import { stripControls } from './stripControls';

export interface AnsiSpan {
  readonly text: string;
  /** Classes of its colours and weight; empty for plain text. */
  readonly className: string;
}

/** What a terminal would show of an output: its text, with classes for colours. Blinking and hiding are left out. */
export function ansiSpans(output: string): readonly AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  const pen = new Pen();
  // Text and the parameters of SGR in turn.
  // eslint-disable-next-line no-control-regex -- It is what is looked for.
  const pieces = stripControls(output).split(/\u001b\[([\d;]*)m/);
  pieces.forEach((text, at) => {
    if (at % 2 === 1) pen.take(text);
    else if (text !== '') {
      const { className } = pen;
      const last = spans.at(-1);
      if (last?.className === className) spans[spans.length - 1] = { text: last.text + text, className };
      else spans.push({ text, className });
    }
  });
  return spans;
}
