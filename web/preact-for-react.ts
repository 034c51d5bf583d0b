import { fileURLToPath } from 'node:url'

/**
 * The names under which code imports React, and what the build and the unit tests give it instead. The first match counts:
 * `react/jsx-runtime` becomes `preact/compat/jsx-runtime`.
 */
export const preactForReact = {
  'react-dom/client': fileURLToPath(new URL('preact-client.ts', import.meta.url)),
  'react-dom': 'preact/compat',
  react: 'preact/compat',
} as const
