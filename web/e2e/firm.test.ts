import { expect, it } from 'vitest'
import { describeSite, hold, narrowWidths } from './kit.ts'

const wide =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="24"><rect width="96" height="24" fill="#0369a1"/></svg>'
const svg = (content: string) => ({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(content) })

describeSite("the firm's name and colours", (site) => {
  it('are set at System, and seen by everybody at once, without a flash of others', async () => {
    const trader = await site.portal.trader()
    const owner = await site.visit({ as: trader })
    await owner.open('/')
    const watched = owner.page
    await watched.getByRole('link', { name: 'Proofdesk, home' }).waitFor()
    const accentOf = () =>
      watched.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--color-accent'))
    const ours = await accentOf()

    const { page, open, expectToast, expectGoodLook, allowStatus } = await site.visit({
      as: await site.portal.admin(),
    })
    await open('/admin/system')
    const card = page.locator('#firm')
    await card.getByText('None yet: pages and mails say Proofdesk').waitFor()
    await card.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog', { name: 'Name and Colours' })
    await dialog.getByLabel('Name', { exact: true }).fill('Northgate')
    await dialog.getByLabel('Colour', { exact: true }).fill('#ffcc00')
    await dialog.getByLabel('Support address').fill('help@northgate.example')
    allowStatus(400)
    await page.keyboard.press('Control+Enter')
    await dialog
      .getByText(/is the nearest shade that can be read/)
      .first()
      .waitFor()
    await expectGoodLook()
    await dialog.getByLabel('Colour', { exact: true }).fill('#0369a1')
    await page.keyboard.press('Control+Enter')
    await expectToast('Name and colours saved')
    await card.getByText('help@northgate.example').waitFor()

    // Live, in a page that was open before.
    await watched.getByRole('link', { name: 'Northgate, home' }).waitFor()
    await watched.waitForFunction(() => document.title.endsWith('· Northgate'))
    expect(await accentOf()).not.toBe(ours)
    await owner.expectGoodLook()
    await owner.expectNoSidewaysScroll(...narrowWidths)

    await card.getByRole('button', { name: 'Upload Logo' }).click()
    const upload = page.getByRole('dialog', { name: 'Logo' })
    await upload.getByLabel('File').setInputFiles(svg('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'))
    await upload.getByRole('button', { name: 'Save' }).click()
    await upload
      .getByText(/has <script> in it/)
      .first()
      .waitFor()
    await upload.getByLabel('File').setInputFiles(svg(wide))
    await upload.getByRole('button', { name: 'Save' }).click()
    await expectToast('Logo saved')
    await watched.getByRole('banner').getByRole('img', { name: 'Northgate' }).waitFor()
    await card.getByRole('img', { name: 'The logo' }).waitFor()
    await expectGoodLook()

    // At a first visit the page has it all before any script of the app runs.
    const stranger = await site.visit()
    const scripts = await hold(stranger.page, '**/assets/*.js')
    await stranger.page.goto('/auth', { waitUntil: 'commit' })
    await scripts.isAsked
    await stranger.page.locator('img').waitFor({ state: 'attached' })
    const before = () =>
      stranger.page.evaluate(() => [
        document.title,
        document.querySelector('img')?.getAttribute('src')?.slice(0, 11),
        getComputedStyle(document.documentElement).getPropertyValue('--color-accent').slice(0, 18),
      ])
    expect(await before()).toEqual(['Northgate', '/firm/logo/', 'light-dark(#0369a1'])
    scripts.release()
    const guest = await site.visit()
    await guest.open('/auth')
    await guest.page.getByRole('heading', { name: 'Sign in to Northgate' }).waitFor()
    await guest.expectGoodLook()
    await guest.open('/nowhere/at/all')
    await guest.page.getByRole('link', { name: 'help@northgate.example' }).waitFor()
    await guest.expectGoodLook()

    await card.getByRole('button', { name: 'Remove Logo' }).click()
    await watched.getByRole('banner').getByRole('img', { name: 'Northgate' }).waitFor({ state: 'detached' })
  })

  it('fit beside the navigation of staff, however long the name is', async () => {
    const admin = await site.portal.admin()
    await admin.patch('/api/admin/system/firm', { name: 'The Very Long Funded Traders Company of Harbour Street' })
    const { open, expectNoSidewaysScroll, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/payouts')
    await expectGoodLook()
    await expectNoSidewaysScroll(...narrowWidths)
  })
})
