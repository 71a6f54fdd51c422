import { HIGHLIGHTER_EVENT, type CodeHighlighter } from '../blocks/code/codeHighlighter';
import { loadedHighlighter } from '../blocks/code/loadedHighlighter';

/** The script that runs while this module is loaded: the bundle beside it may be loaded under its nonce. */
const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript : null;

/** Fetches what colours code. Until it is there, and where it cannot be had, code is plain. Calls `then` in either case. */
export function loadHighlighter(then: () => void): void {
  if (own === null || loadedHighlighter.value !== null) {
    then();
    return;
  }
  window.addEventListener(
    HIGHLIGHTER_EVENT,
    (event) => {
      // SAFETY: told by the bundle that is loaded below; whatever else runs here is ours, too.
      loadedHighlighter.value = (event as CustomEvent<CodeHighlighter>).detail;
    },
    { once: true },
  );
  const script = document.createElement('script');
  script.src = new URL('highlight.js', own.src).href;
  script.nonce = own.nonce;
  script.onload = script.onerror = then;
  document.head.append(script);
}
