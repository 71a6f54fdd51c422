import { HIGHLIGHTER_EVENT } from '../blocks/code/codeHighlighter';
import { createHighlighter } from './createHighlighter';

// The page that asked for this bundle waits for it.
window.dispatchEvent(new CustomEvent(HIGHLIGHTER_EVENT, { detail: createHighlighter() }));
