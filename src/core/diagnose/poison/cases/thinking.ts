import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import { isThinking, type SentBlock } from '../../../providers/claude/request/composeRequest';
import type { Fault } from '../../../providers/claude/request/requestRules';
import { isJsonObject } from '../../../util/json';
import {
  blocksIn,
  type ContentEdit,
  type FaultCase,
  type InsertEdit,
  type KeepContent,
  remove,
  replace,
  valueIn,
} from '../faultCase';
import { removeField } from './blocks';

/** `thinking`: a block of thinking has a field that the API does not accept. */
export const thinkingField: FaultCase = {
  what: 'A block of thinking has a field that the API does not accept',
  healing: null,
  repair: { action: 'ask', edits: ({ origin }, request, keep) => [removeField(origin, request, keep)] },
};

/** `thinking`: the text is missing, which the client stores as an empty one where it stores none. */
export const thinkingText: FaultCase = {
  what: 'A block of thinking has no text',
  healing: null,
  repair: {
    action: 'ask',
    edits: ({ origin }, request, keep) => {
      const value = valueIn(request, origin);
      const text = isJsonObject(value) ? value['thinking'] : undefined;
      const why = 'The API does not accept thinking without the field for its text, which may be empty.';
      const { row, path } = origin;
      if (text === undefined) return [{ kind: 'add', row, path, key: 'thinking', to: '', why }];
      return text === null
        ? [replace({ ...origin, path: [...path, 'thinking'] }, '', why)]
        : [remove(origin, why, keep)];
    },
  },
};

/** `thinking`: the API that the session uses does not accept thinking without its text, which is what the client stores. */
export const thinkingHollow: FaultCase = {
  what: 'The API refuses thinking without its text',
  healing: null,
  repair: { action: 'ask', edits: ({ origin }) => [strip(origin.row)] },
};

function strip(row: number): InsertEdit {
  return {
    kind: 'insert',
    row,
    place: 'last',
    fields: () => ({ attachment: { type: 'thinking_stripped', scope: 'all' }, type: 'attachment' }),
    silences: 'thinking',
    why: "Claude sends no thinking of earlier messages once the transcript contains this mark, which is Claude's own.",
  };
}

const STRIPPED = 'After the API has refused it once, Claude leaves out all thinking of the session.';

export const thinkingUnsigned: FaultCase = {
  what: 'Thinking has no valid signature',
  healing: STRIPPED,
  repair: {
    action: 'ask',
    offer:
      '`rethread repair --class thinking` leaves out only the thinking without a signature; where the signatures of all are in question, it leaves out all of it, without a refused prompt.',
    edits: dropUnsigned,
  },
};

/** Only the API can check a signature: if the transcript does not show which thinking is at fault, all of it is. */
function dropUnsigned({ origin }: Fault, request: JudgedRequest, keep: KeepContent): readonly ContentEdit[] {
  const thinking = blocksIn(request).filter(isThinking);
  const unsigned = thinking.filter(isUnsigned);
  if (unsigned.length === 0 || unsigned.length === thinking.length) return [strip(origin.row)];
  return [remove(origin, 'The API does not accept thinking without its signature.', keep)];
}

function isUnsigned({ value: { type, signature, data } }: SentBlock): boolean {
  const proof = type === 'thinking' ? signature : data;
  return typeof proof !== 'string' || proof === '';
}

export const thinkingModified: FaultCase = {
  what: 'The API takes thinking for changed',
  healing: STRIPPED,
  repair: {
    action: 'ask',
    offer: '`rethread repair --class thinking` does the same without a refused prompt.',
    edits: ({ origin }) => [strip(origin.row)],
  },
};

export const thinkingAlone: FaultCase = {
  what: 'A message consists of thinking alone',
  healing: 'Claude leaves it out.',
  repair: null,
};
