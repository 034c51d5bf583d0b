import { describe, expect, it } from 'vitest'
import { describeSite, openNavigation } from './kit.ts'

describeSite('the shell', (site) => {
  describe('the palette', () => {
    it('opens by keys and button, opens a page, returns the focus, and says when nothing is found', async () => {
      const { page, open, expectAccessible } = await site.visit({ as: await site.portal.trader() })
      await open('/')
      const palette = page.getByRole('dialog', { name: 'Search and commands' })
      const button = page.getByRole('button', { name: 'Find anything' })
      await button.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('option', { name: 'Certificates' }).waitFor()
      await expectAccessible()
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'detached' })
      await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('certif')
      await page.getByRole('option', { name: 'Certificates' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('/certificates')
      expect(await palette.count()).toBe(0)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('no page is called like this')
      await page.getByText('Nothing found').waitFor()
    })

    it('keeps input typed before it has loaded, and can be closed', async () => {
      const { page, open } = await site.visit({ as: await site.portal.trader() })
      let arrive = () => {}
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      // What it offers comes with the page, and the page waits for that.
      await page.route(/assets\/palette-(?!commands-).*\.js/, async (route) => {
        await arrived
        await route.continue()
      })
      await open('/')
      const palette = page.getByRole('dialog', { name: 'Search and commands' })
      const button = page.getByRole('button', { name: 'Find anything' })
      await button.focus()
      await page.keyboard.press('Control+k')
      await palette.waitFor()
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'detached' })
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
      await page.keyboard.press('Control+k')
      await page.keyboard.type('certi')
      arrive()
      await page.getByRole('combobox').waitFor()
      await page.keyboard.type('fic')
      await page.getByRole('option', { name: 'Certificates' }).waitFor()
      expect(await page.getByRole('combobox').inputValue()).toBe('certific')
      await page.keyboard.press('Enter')
      await page.waitForURL('/certificates')
    })
  })

  describe('an answer that is not JSON', () => {
    it('is named by its status', async () => {
      const { page, open, expectToast, allowStatus } = await site.visit()
      allowStatus(502)
      await open('/auth')
      await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
      await page.getByLabel('Password', { exact: true }).fill('correct horse')
      for (const { body, message } of [
        { body: 'upstream is away', message: '502: upstream is away' },
        { body: '', message: '502: Bad Gateway' },
      ]) {
        await page.route('**/api/login', (route) => route.fulfill({ status: 502, contentType: 'text/plain', body }))
        await page.getByRole('button', { name: 'Login', exact: true }).click()
        await expectToast('Login failed', message)
        await page.unroute('**/api/login')
      }
    })

    it('to a sign-out is reported, and the session stays', async () => {
      const { page, open, expectToast, allowStatus } = await site.visit({ as: await site.portal.trader() })
      allowStatus(500)
      await page.route('**/api/logout', (route) => route.fulfill({ status: 500, json: {} }))
      await open('/settings')
      await openNavigation(page)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await expectToast('Logout failed', 'Failed to log out')
      expect(new URL(page.url()).pathname).toBe('/settings')
    })
  })

  describe('a very wide window', () => {
    it('keeps the content as wide as can be read, in the middle, and accessible in both themes', async () => {
      const { page, open, expectAccessible, expectNoSidewaysScroll } = await site.visit({
        width: 1920,
        as: await site.portal.trader(),
      })
      for (const path of ['/', '/settings', '/payouts']) {
        await open(path)
        await expectNoSidewaysScroll()
        const { left, right, width } = await page.locator('main').evaluate((main) => {
          const { paddingLeft, paddingRight } = getComputedStyle(main)
          const { left, right, width } = main.getBoundingClientRect()
          return {
            left,
            right: document.documentElement.clientWidth - right,
            width: width - parseFloat(paddingLeft) - parseFloat(paddingRight),
          }
        })
        expect(width).toBeLessThanOrEqual(1200)
        // The place of a scrollbar is kept free at the right.
        expect(Math.abs(left - right)).toBeLessThanOrEqual(16)
      }
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expectAccessible()
      }
    })
  })

  describe('motion', () => {
    it('is short, and absent with reduced motion', async () => {
      const { page, open } = await site.visit({ as: await site.portal.trader() })
      const durations = async (reducedMotion: 'reduce' | 'no-preference') => {
        await page.emulateMedia({ reducedMotion })
        await open('/')
        const palette = page.getByRole('dialog', { name: 'Search and commands' })
        // Once it is loaded: the first time it continues what stood in for it.
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox').waitFor()
        await page.keyboard.press('Escape')
        await palette.waitFor({ state: 'detached' })
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox').waitFor()
        const animation = await palette.evaluate(
          (element) => parseFloat(getComputedStyle(element).animationDuration) * 1_000,
        )
        const transition = await page
          .getByRole('button', { name: 'Sign out', includeHidden: true })
          .evaluate((element) => parseFloat(getComputedStyle(element).transitionDuration) * 1_000)
        return { animation, transition }
      }
      for (const [, ms] of Object.entries(await durations('no-preference'))) {
        expect(ms).toBeGreaterThanOrEqual(120)
        expect(ms).toBeLessThanOrEqual(180)
      }
      expect(await durations('reduce')).toEqual({ animation: 0, transition: 0 })
    })
  })
})
