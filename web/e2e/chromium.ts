import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** Where Chromium is: CHROME_PATH, on the path, or Playwright's own; undefined when there is none. */
export function findChromium(): string | undefined {
  const named = process.env['CHROME_PATH']
  if (named) return named
  const found = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(onPath).find((path) => path !== undefined)
  if (found !== undefined) return found
  const own = chromium.executablePath()
  return existsSync(own) ? own : undefined
}

/**
 * Beside every window Chromium keeps two pages of its own ready, for what drops down from the address bar: half of what a window
 * costs the processor, and nobody here types an address. Of several such lists it takes the last one, so this one names as
 * well what Playwright switches off.
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
