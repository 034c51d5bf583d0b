import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/**
 * The path of Chromium: CHROME_PATH, on the path, or Playwright's own; undefined when there is none. The headless shell
 * comes first: it has no windows, and a page takes a third of the processor time.
 */
export function findChromium(): string | undefined {
  const named = process.env['CHROME_PATH']
  if (named) return named
  const found = [
    'chromium-headless-shell',
    'chrome-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ]
    .map(onPath)
    .find((path) => path !== undefined)
  if (found !== undefined) return found
  const own = chromium.executablePath()
  return existsSync(own) ? own : undefined
}

/**
 * Chromium with windows keeps two pages of its own ready for the address bar, half of the processor time of a window.
 * It takes only the last list of disabled features, so this one repeats Playwright's.
 */
export const chromiumFlags = [
  '--no-sandbox',
  `--disable-features=${[
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'AimEnabled',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsFirstBalancedModeAutoEnable',
    'HttpsUpgrades',
    'LensOverlay',
    'MediaRouter',
    'NetworkTimeServiceQuerying',
    'OptimizationHints',
    'PaintHolding',
    'PreconnectToSearch',
    'ThirdPartyStoragePartitioning',
  ].join(',')}`,
]

function onPath(program: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}
