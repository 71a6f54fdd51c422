import { innerPath } from '../../../providers/claude/request/composeRequest';
import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import type { Origin } from '../../../providers/claude/request/requestRules';
import { isJsonObject } from '../../../util/json';
import { blocksIn, type FaultCase, replace } from '../faultCase';

/** `request-size`: the request is larger than the API accepts. The longest texts are cut to their ends, and kept as files. */
export const requestSize: FaultCase = {
  what: 'The API has refused the history because of its size; its largest part is named',
  healing: null,
  repair: {
    action: 'ask',
    edits: (_, request, keep) =>
      textsToCut(request).map(({ origin, text }) => {
        const tail = text.slice(-TAIL_UNITS).replace(/^[\uDC00-\uDFFF]/, '');
        const removed = (text.length - tail.length).toLocaleString('en');
        const place = !HALF.test(text)
          ? keep(Buffer.from(text), 'txt')
          : keep(Buffer.from(JSON.stringify(text)), 'json');
        const why = `The request is too large for the API: only the end of this long text is sent, and the whole text is ${place}.`;
        return replace(origin, `[${removed} characters removed; the whole text is ${place}]\n${tail}`, why);
      }),
  },
};

/** UTF-8 has no half of a surrogate pair. */
const HALF = /\p{Surrogate}/u;
/** What is left of a text. */
const TAIL_UNITS = 1000;
/** Shorter texts are left as they are. */
const LONG_UNITS = 20_000;
/** The API accepts 32 MB, of which the system prompt and the tools are a part. */
const MAX_BYTES = 30_000_000;
/** How a text begins that was cut. */
const CUT = /^\[[\d,]+ characters removed; the whole text is kept in /;
/** New prompts need room, too. */
const AIM_BYTES = 28_000_000;

interface SentText {
  /** Leads to the string. */
  readonly origin: Origin;
  readonly text: string;
}

/**
 * The texts whose ends have to do, longest first: as many as it takes. If the request is smaller than the API accepts and no text of it
 * was cut, something before the API has a lower limit that nobody knows, and all long texts are cut.
 */
export function textsToCut(request: JudgedRequest): readonly SentText[] {
  const texts = textsIn(request)
    .filter(({ text }) => text.length > LONG_UNITS)
    .sort((a, b) => b.text.length - a.text.length);
  let total = requestBytes(request);
  if (total <= MAX_BYTES) return textsIn(request).some(({ text }) => CUT.test(text)) ? [] : texts;
  const cut: SentText[] = [];
  for (const each of texts) {
    if (total <= AIM_BYTES) break;
    total -= jsonBytes(each.text);
    cut.push(each);
  }
  return cut;
}

/** Where the largest block is, if the request is larger than the API accepts. */
export function largestOf(request: JudgedRequest): Origin | undefined {
  if (requestBytes(request) <= MAX_BYTES) return undefined;
  let [most, largest]: [number, Origin | undefined] = [0, undefined];
  for (const { origin, value } of blocksIn(request)) {
    const size = jsonBytes(value);
    if (size > most) [most, largest] = [size, origin];
  }
  return largest;
}

function requestBytes(request: JudgedRequest): number {
  return blocksIn(request).reduce((sum, { value }) => sum + jsonBytes(value), 0);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function textsIn(request: JudgedRequest): SentText[] {
  return blocksIn(request).flatMap((block): SentText[] => {
    const { origin, value, isString } = block;
    if (value['type'] === 'text') return textAt(origin, isString ? [] : ['text'], value['text']);
    if (value['type'] !== 'tool_result') return [];
    const { content } = value;
    const list: readonly unknown[] = Array.isArray(content) ? content : [];
    return [
      ...textAt(origin, ['content'], content),
      ...list.flatMap((inner, at) =>
        isJsonObject(inner) && inner['type'] === 'text'
          ? textAt(origin, [...innerPath(block, at), 'text'], inner['text'])
          : [],
      ),
    ];
  });
}

function textAt(origin: Origin, below: Origin['path'], text: unknown): SentText[] {
  return typeof text === 'string' ? [{ origin: { ...origin, path: [...origin.path, ...below] }, text }] : [];
}
