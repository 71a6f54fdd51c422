import { afterPaint } from './afterPaint';
import type { PageSeen } from './pageProbe';

/**
 * Watches a panel's page from the moment that its script listens for messages. VS Code makes the document of a webview anew
 * (`document.open`), which takes listeners and observers away, and not what a prototype was given.
 */
export function watchOpening(): () => PageSeen {
  const sent: unknown[] = [];
  let filledMs: number | null = null;
  let paintedMs: number | null = null;

  const observer = new MutationObserver(() => {
    const [item, skeleton] = ['.scroller .item', '.scroller .skeleton'].map((each) => document.querySelector(each));
    if (item === null || skeleton !== null) return;
    observer.disconnect();
    filledMs = Date.now();
    void afterPaint().then((atMs) => (paintedMs = atMs));
  });

  const addListener = Reflect.get<EventTarget, 'addEventListener'>(EventTarget.prototype, 'addEventListener');
  EventTarget.prototype.addEventListener = function (this: EventTarget, type, listener, options) {
    const isOfPanel = type === 'message' && 'acquireVsCodeApi' in window && typeof listener === 'function';
    if (isOfPanel) {
      observer.observe(document, { subtree: true, childList: true });
      addListener.call(this, type, (event) => {
        // It is weighed when somebody asks, and not while the time is taken.
        if (paintedMs === null && event instanceof MessageEvent) sent.push(event.data);
      });
    }
    addListener.call(this, type, listener, options);
  };

  return () => {
    const weights = sent.map((data) => new TextEncoder().encode(JSON.stringify(data)).length);
    return { filledMs, paintedMs, crossed: weights.reduce((sum, bytes) => sum + bytes, 0) };
  };
}
