import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { findChromium } from '../web/e2e/chromium.ts'
import type { SignedIn } from './people.ts'

/** A real browser, as people use one: nothing cached at first, and no extensions. */

/** @throws {Error} when there is none. */
export async function openChromium(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('There is no Chromium: set CHROME_PATH, or install chromium')
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...flags] })
}

/** A window with a cache and cookies of its own. */
export async function openWindow(
  browser: Browser,
  url: string,
  as?: Pick<SignedIn, 'cookie'>,
): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } })
  const cookies = as?.cookie.split('; ').map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1), url }))
  if (cookies) await context.addCookies(cookies)
  return { context, page: await context.newPage() }
}
