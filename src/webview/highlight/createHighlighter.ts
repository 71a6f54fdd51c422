import hljs from 'highlight.js/lib/core';
import type { CodeHighlighter } from '../blocks/code/codeHighlighter';
import { registerLanguages } from './languages';
import { TokenEmitter } from './tokenEmitter';

export function createHighlighter(): CodeHighlighter {
  const highlighter = hljs.newInstance();
  // highlight.js gives HTML; an emitter of one's own gives what it is made of, so that no HTML is ever parsed.
  highlighter.configure({ __emitter: TokenEmitter });
  registerLanguages(highlighter);
  return {
    knows: (language) => highlighter.getLanguage(language) !== undefined,
    highlight: (code, language) => {
      const { _emitter: emitter, errorRaised } = highlighter.highlight(code, { language, ignoreIllegals: true });
      return emitter instanceof TokenEmitter && errorRaised === undefined ? emitter.tokens : null;
    },
  };
}
