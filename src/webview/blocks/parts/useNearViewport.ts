import { useEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

const MARGIN_PX = 400;

/** Whether an element came near what is seen; stays true. */
export function useNearViewport(ref: RefObject<Element | null>, isWanted: boolean): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || isNear || !isWanted) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        setNear(true);
      },
      { rootMargin: `${MARGIN_PX}px` },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [ref, isNear, isWanted]);
  return isNear;
}
