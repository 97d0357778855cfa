// An error with what to do next.
import type { ComponentChildren } from 'preact';
import { adviceFor } from '../api/advice';
import type { ApiError } from '../api/error';
import { Button } from './button';
import { Icon } from './icon';
import { LiteralText } from './literal-text';

interface ErrorBoxProps {
  error: ApiError;
  title?: string;
  onRetry?: () => void;
  children?: ComponentChildren;
}

export function ErrorBox({ error, title, onRetry, children }: ErrorBoxProps) {
  const advice = adviceFor(error);
  return (
    <div class="notice bad" role="alert">
      <Icon name="alert" />
      <div class="notice-body">
        {title && <strong>{title}</strong>}
        <p>
          <LiteralText text={error.message} />
        </p>
        {advice && (
          <p>
            <LiteralText text={advice} />
          </p>
        )}
        <p class="small soft">
          {error.param && (
            <>
              Field: <code>{error.param}</code>.{' '}
            </>
          )}
          Code: <code>{error.code}</code>
          {error.requestId && (
            <>
              , request <code>{error.requestId}</code>
            </>
          )}
        </p>
        {children}
        {onRetry && (
          <Button size="small" icon="refresh" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
