import { HIGHLIGHTER_EVENT } from '../blocks/code/codeHighlighter';
import { createHighlighter } from './createHighlighter';

// The page that loaded this bundle waits for this event.
window.dispatchEvent(new CustomEvent(HIGHLIGHTER_EVENT, { detail: createHighlighter() }));
