import type { Host } from './connectHost';

const ranMs = Date.now();

/**
 * Tells the host when the first screen stood: every place on it was filled, and the browser had painted it. What may wait
 * for that is loaded then, and it is told when that is over: from there on, the page loads nothing by itself.
 */
export function tellTimes(host: Host, answeredMs: number, loadRest: (then: () => void) => void): void {
  const look = (): void => {
    if (document.querySelector('.skeleton, .rows:empty') !== null) {
      requestAnimationFrame(look);
      return;
    }
    const drawnMs = Date.now();
    // The frame that begins next was preceded by the one that shows it.
    requestAnimationFrame(() => {
      const paintedMs = Date.now();
      loadRest(() => {
        void host.shown({ beganMs: performance.timeOrigin, ranMs, answeredMs, drawnMs, paintedMs });
      });
    });
  };
  requestAnimationFrame(look);
}
