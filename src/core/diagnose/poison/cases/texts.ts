import { type FaultCase, replace } from '../faultCase';

const FILLER = '[empty]';

/** `empty-text`: a prompt that consists of white space. */
export const promptBlank: FaultCase = {
  what: 'A prompt is blank',
  healing: null,
  repair: {
    action: 'ask',
    edits: ({ origin }) => [replace(origin, FILLER, 'The API does not accept a blank prompt.')],
  },
};

/** `empty-content`: a prompt without any text. */
export const promptEmpty: FaultCase = {
  what: 'A prompt is empty',
  healing: null,
  repair: {
    action: 'ask',
    edits: ({ origin }) => [replace(origin, FILLER, 'The API does not accept an empty prompt.')],
  },
};

export const textEmpty: FaultCase = {
  what: 'A message contains an empty text',
  healing: 'Claude leaves it out.',
  repair: null,
};

export const textEmptyCached: FaultCase = {
  what: 'A message contains an empty text that is marked for the cache',
  healing: 'Claude leaves it out.',
  repair: null,
};

export const noBlocks: FaultCase = {
  what: 'A message has no content',
  healing: 'Claude leaves it out, or says so in its place.',
  repair: null,
};

export const loneSurrogate: FaultCase = {
  what: 'A text contains half of a character',
  healing: 'Claude sends a replacement character in its place.',
  repair: null,
};
