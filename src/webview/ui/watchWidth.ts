/** A border that is dragged changes the width many times a second. In milliseconds. */
const REST_MS = 200;

/** Calls `tell` with the width of the page in pixels, and again when it has changed. */
export function watchWidth(tell: (pixels: number) => void): void {
  const root = document.documentElement;
  let told = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // A page that is being hidden has no width.
      if (root.clientWidth === told || root.clientWidth === 0) return;
      told = root.clientWidth;
      tell(told);
    }, REST_MS);
  }).observe(root);
}
