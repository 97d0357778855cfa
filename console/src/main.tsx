// Starts the console.
import './first-requests';
import { render } from 'preact';
import { freeSlotsWhileHidden } from './api/stream-slots';
import { App } from './app';
import { applyStoredTheme } from './theme';
import './styles/index.css';

applyStoredTheme();
freeSlotsWhileHidden();
const root = document.getElementById('app');
if (root) render(<App />, root);
