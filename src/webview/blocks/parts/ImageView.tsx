import type { JSX, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BlockHost } from '../blockHost';
import { formatSize } from '../text/texts';
import { Icon } from './Disclosure';

type Answer =
  { readonly kind: 'loading' } | { readonly kind: 'image'; readonly url: string } | { readonly kind: 'broken' };

/** Larger images are loaded only on request. */
const MAX_UNASKED_BYTES = 8 * 1024 * 1024;
// Only bitmap images: SVG is a document.
const DATA_URL = /^data:image\/(?:png|jpeg|gif|webp|bmp|avif);base64,[A-Za-z0-9+/=]+$/;

interface ImageViewProps {
  readonly host: BlockHost;
  readonly line: number;
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** An image of a row, loaded when it comes near the viewport. */
export function ImageView({ host, line, path, mediaType, bytes }: ImageViewProps): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  const [isAsked, setAsked] = useState(false);
  const [answer, setAnswer] = useState<Answer>({ kind: 'loading' });
  const isSmall = bytes <= MAX_UNASKED_BYTES;
  const isWanted = useNearViewport(ref, isSmall) || isAsked;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isCurrent = true;
    const settle = (url: string | null): void => {
      if (isCurrent) setAnswer(url !== null && DATA_URL.test(url) ? { kind: 'image', url } : { kind: 'broken' });
    };
    host.image(line, path).then(settle, () => {
      settle(null);
    });
    return () => {
      isCurrent = false;
    };
    // The host may be a different object at each rendering; the other dependencies identify what is loaded.
  }, [isWanted, host.filePath, line, path]);

  const what = `${mediaType.slice(0, 60)}, ${formatSize(bytes, host.locale)}`;
  return (
    <div data-unsearched ref={ref} class="block-image">
      {answer.kind === 'image' && (
        <img
          src={answer.url}
          alt={host.t('Image ({0})', what)}
          onError={() => {
            setAnswer({ kind: 'broken' });
          }}
        />
      )}
      {answer.kind === 'loading' && (isSmall || isAsked) && (
        <span class="block-image-waiting">
          <Icon name="image" />
          {host.t('Image ({0})', what)}
        </span>
      )}
      {answer.kind === 'loading' && !isSmall && !isAsked && (
        <button
          type="button"
          class="block-link"
          onClick={() => {
            setAsked(true);
          }}
        >
          {host.t('Show image ({0})', what)}
        </button>
      )}
      {answer.kind === 'broken' && (
        <span class="block-image-broken">
          <Icon name="warning" />
          {host.t('This image cannot be shown ({0}).', what)}
        </span>
      )}
    </div>
  );
}

const MARGIN_PX = 400;

/** Whether an element has come near the viewport; stays true afterwards. */
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
