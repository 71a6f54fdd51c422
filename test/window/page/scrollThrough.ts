import type { ScrollOptions } from './pageProbe';

/** The wait for rows that are measured on arrival, which moves the end. */
const SETTLING_FRAMES = 30;

export async function scrollThrough({ steps, isUp, timeoutMs }: ScrollOptions): Promise<void> {
  const list = document.querySelector('.scroller');
  if (list === null) throw new Error('Failed to find the list');
  for (let step = 1; step <= steps; step++) {
    const part = isUp ? 1 - step / steps : step / steps;
    list.scrollTop = part * (list.scrollHeight - list.clientHeight);
    const end = Date.now() + timeoutMs;
    do await frame();
    while (document.querySelector('.skeleton') !== null && Date.now() < end);
  }
  for (let left = SETTLING_FRAMES; left > 0; left--) {
    list.scrollTop = isUp ? 0 : list.scrollHeight;
    await frame();
  }
}

function frame(): Promise<unknown> {
  return new Promise((done) => requestAnimationFrame(done));
}
