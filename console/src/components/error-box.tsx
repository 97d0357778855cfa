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
        <ErrorDetails error={error} />
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

// What the operator needs to find the error.
function ErrorDetails({ error }: { error: ApiError }) {
  const details = [
    error.param && { name: 'Field', value: error.param },
    error.code !== 'unknown' && { name: 'Code', value: error.code },
    error.requestId && { name: 'Request', value: error.requestId },
  ].filter((detail) => typeof detail === 'object' && detail !== null);
  if (details.length === 0) return null;
  return (
    <p class="small soft details">
      {details.map(({ name, value }) => (
        <span key={name}>
          {name} <code>{value}</code>
        </span>
      ))}
    </p>
  );
}
