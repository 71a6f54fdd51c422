import type { ComponentChildren, JSX } from 'preact';
import type { BlockHost } from '../blockHost';
import { filePlace } from './filePlace';
import { linkTarget } from './linkTarget';

/** A link that the host opens. It has no address of its own, so that no way of clicking leads the panel anywhere. */
export function ActionLink(props: {
  readonly host: BlockHost;
  readonly href: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { host, href, children } = props;
  const target = linkTarget(href);
  if (target === null) return <>{children}</>;
  const open = (): void => {
    host.act(target === 'web' ? { kind: 'openLink', href } : { kind: 'openFile', ...filePlace(href) });
  };
  return (
    <a
      class="block-link"
      role="link"
      tabIndex={0}
      title={href}
      onClick={(event) => {
        event.preventDefault();
        open();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        open();
      }}
    >
      {children}
    </a>
  );
}
