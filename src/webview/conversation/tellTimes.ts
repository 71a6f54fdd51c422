import type { Host } from './connectHost';

const ranMs = Date.now();

/**
 * Tells the host when the first screen stood, once it does: every place on it is filled, and the browser has painted it.
 * `then` is what may wait for that.
 */
export function tellTimes(host: Host, answeredMs: number, then: () => void): void {
  const look = (): void => {
    if (document.querySelector('.skeleton, .rows:empty') !== null) {
      requestAnimationFrame(look);
      return;
    }
    const drawnMs = Date.now();
    // The frame that begins next was preceded by the one that shows it.
    requestAnimationFrame(() => {
      void host.shown({ beganMs: performance.timeOrigin, ranMs, answeredMs, drawnMs, paintedMs: Date.now() });
      then();
    });
  };
  requestAnimationFrame(look);
}
