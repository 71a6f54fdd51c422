import type { JSX } from 'preact';
import { useApp } from '../tokensApp';
import { Exact } from './Exact';

export function Tokens({ count }: { count: number }): JSX.Element {
  const { figures } = useApp();
  return <Exact short={figures.compact(count)} exact={figures.exact(count)} />;
}
