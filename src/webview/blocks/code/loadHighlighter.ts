import { type CodeHighlighter, HIGHLIGHTER_EVENT } from './codeHighlighter';
import { loadedHighlighter } from './highlightCode';

/** The current script element; its nonce is used to load the highlighter's bundle, which is beside it. */
const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript : null;

/** Loads the highlighter. Code is plain until it has loaded, or if it cannot be loaded. Calls `then` in either case. */
export function loadHighlighter(then: () => void): void {
  if (own === null || loadedHighlighter.value !== null) {
    then();
    return;
  }
  window.addEventListener(
    HIGHLIGHTER_EVENT,
    (event) => {
      // SAFETY: the bundle loaded below sends this event; all other code in this page is ours as well.
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
