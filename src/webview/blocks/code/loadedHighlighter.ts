import { signal } from '@preact/signals';
import type { CodeHighlighter } from './codeHighlighter';

/** Null until its bundle is there. */
export const loadedHighlighter = signal<CodeHighlighter | null>(null);
