import { afterPaint } from './afterPaint';
import type { PageSeen } from './pageProbe';

/**
 * Watches a panel's page from the moment when its script listens for messages. VS Code creates the document of a
 * webview again (`document.open`), which removes listeners and observers, but not changes to a prototype.
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
        // The size is computed on request, and not during the measurement.
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
