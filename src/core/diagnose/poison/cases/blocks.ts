import {
  type ContentEdit,
  type FaultCase,
  type InRowEdit,
  type KeepContent,
  remove,
  textInPlace,
  valueIn,
} from '../faultCase';
import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import type { Origin } from '../../../providers/claude/request/requestRules';

/** `block-type`: a message contains a block of a type that the API does not know. */
export const blockType: FaultCase = {
  what: 'A message contains a block of a type that the API does not know',
  healing: null,
  repair: {
    action: 'ask',
    edits: ({ origin }, request, keep) => [
      textInPlace(
        origin,
        valueIn(request, origin),
        keep,
        'The API does not know this type of block: a text takes its place.',
      ),
    ],
  },
};

/** `block-type`: something that is no block is in the list of the blocks of a message. */
export const strayEntry: FaultCase = {
  what: 'The content of a message contains something that is not a block',
  healing: 'Claude leaves it out.',
  repair: {
    action: 'ask',
    offer: '`rethread repair --class block-type` makes it a text, so that it is sent.',
    edits: ({ origin }, request, keep) => sayStray(origin, request, keep),
  },
};

function sayStray(origin: Origin, request: JudgedRequest, keep: KeepContent): readonly ContentEdit[] {
  const value = valueIn(request, origin);
  const isNothing = value === null || (typeof value === 'string' && value.trim() === '');
  return isNothing ? [] : [textInPlace(origin, value, keep, 'Claude sends only blocks: a text takes its place.')];
}

/** `extra-field`: a block has a field that the API does not know. */
export const extraField: FaultCase = {
  what: 'A block of a message has a field that the API does not accept',
  healing: null,
  repair: { action: 'ask', edits: ({ origin }, request, keep) => [removeField(origin, request, keep)] },
};

/** What can be content is kept: texts, lists and objects that are not empty. A mark for the cache says nothing. */
export function removeField(origin: Origin, request: JudgedRequest, keep: KeepContent): InRowEdit {
  const value = valueIn(request, origin);
  const isText = typeof value === 'string' && value.trim() !== '';
  const isFilled = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  const isContent = (isText || isFilled) && origin.path.at(-1) !== 'cache_control';
  return remove(origin, 'The API does not accept this field.', isContent ? keep : undefined);
}

/** `cache-control`: more blocks are marked for the cache than the API accepts. The client marks those of its own. */
export const cacheCount: FaultCase = {
  what: 'Too many blocks are marked for the cache',
  healing: null,
  repair: {
    action: 'auto',
    edits: ({ origin, also = [] }) => [origin, ...also].map(unmark),
  },
};

function unmark(origin: Origin): ContentEdit {
  const path = [...origin.path, 'cache_control'];
  return remove(
    { ...origin, path },
    'The API accepts 4 blocks that are marked for the cache, and Claude marks up to 3 itself.',
  );
}
