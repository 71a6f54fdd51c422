import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { BlockHost } from '../blockHost';
import { Icon } from './Icon';

const SAID_MS = 1500;

export function CopyButton({ host, text }: { host: BlockHost; text: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => {
      setCopied(false);
    }, SAID_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [isCopied]);
  const copy = (): void => {
    host.act({ kind: 'copy', text });
    setCopied(true);
  };
  return (
    <button type="button" class="block-quiet-button" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span aria-live="polite">{isCopied ? host.t('Copied') : host.t('Copy')}</span>
    </button>
  );
}
