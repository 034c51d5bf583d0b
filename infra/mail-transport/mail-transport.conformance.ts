import { randomUUID } from 'node:crypto'
import PostalMime from 'postal-mime'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type StorePlace, useStores } from '#test-support/store-suite.ts'
import { Unavailable } from '#infra/failures.ts'
import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
import type { Mail, MailAddress, MailTransport } from './mail-transport.ts'

/** The sender of these mails. */
export const from: MailAddress = { name: 'Proofdesk', address: 'no-reply@firm.example' }

/** A place that transports deliver to, and control over it. */
export interface MailPlace extends StorePlace<MailTransport> {
  /** Every delivered mail. */
  delivered(): Promise<readonly Uint8Array[]>
  /** Makes the backend unreachable, and reachable again. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
}

/** The promises of every mail transport. */
export const mailTransportConformance = (name: string, prepare: () => Promise<MailPlace>) =>
  describe(name, () => {
    const { place, open } = useStores(prepare)
    let transport: MailTransport
    beforeEach(() => {
      transport = open()
    })

    const delivered = async () => Promise.all((await place().delivered()).map((bytes) => PostalMime.parse(bytes)))
    const onlyDelivered = async () => {
      const [only, ...others] = await delivered()
      expect(others).toEqual([])
      if (!only) throw new Error('No mail arrived')
      return only
    }

    it('delivers text and html with sender, recipient, date and Message-ID', async () => {
      const before = Date.now()
      const sent = mail()
      await transport.send(sent)
      const got = await onlyDelivered()
      expect(got.from).toEqual(from)
      expect(got.to).toEqual([sent.to])
      expect(got.cc ?? got.bcc).toBeUndefined()
      expect(got.subject).toBe(sent.subject)
      expect(got.text?.trimEnd()).toBe(sent.text)
      expect(got.html?.trimEnd()).toBe(sent.html)
      expect(got.attachments).toEqual([])
      expect(got.messageId).toBe(`<${sent.id}@${from.address.split('@')[1]}>`)
      // A mail's date has no milliseconds.
      expect(Date.parse(got.date ?? '')).toBeGreaterThanOrEqual(Math.floor(before / 1_000) * 1_000)
      expect(Date.parse(got.date ?? '')).toBeLessThanOrEqual(Date.now())
      expect(got.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }))
    })

    it.each([
      ['umlauts', 'Zoë Müller-Łukasz'],
      ['other scripts', '山田 太郎 Ольга أحمد'],
      ['signs beyond 16 bits', '🎉 𝒫roofdesk'],
      ['characters special in headers', 'Lee, Jo (acting) "JL" <boss@firm.example>; \\ .'],
      ['more than one line holds', 'Certificate '.repeat(40).trim()],
    ])('keeps %s in name, subject and bodies', async (_, words) => {
      const to = { name: words, address: 'jo@mail.example' }
      const sent = mail({ to, subject: words, text: words, html: `<p>${words}</p>` })
      await transport.send(sent)
      const got = await onlyDelivered()
      expect(got.to).toEqual([sent.to])
      expect(got.subject).toBe(words)
      expect(got.text?.trimEnd()).toBe(words)
      expect(got.html?.trimEnd()).toBe(`<p>${words}</p>`)
    })

    it('keeps lines special to mail servers, and overlong lines', async () => {
      const text = [
        '.',
        '..',
        '.QUIT',
        'From here on',
        `https://firm.example/${'x'.repeat(3_000)}`,
        '=3D',
        '--',
        'end',
      ].join('\n')
      await transport.send(mail({ text, html: `<pre>${text}</pre>` }))
      const [bytes] = await place().delivered()
      const lengths = String(Buffer.from(bytes ?? []))
        .split('\r\n')
        .map((line) => line.length)
      expect(Math.max(...lengths)).toBeLessThanOrEqual(998)
      const got = await onlyDelivered()
      expect(got.text?.trimEnd()).toBe(text)
      expect(got.html?.trimEnd()).toBe(`<pre>${text}</pre>`)
    })

    it.each(['\r\n', '\n', '\r', '\r\n\r\n'])('allows no line break (%j) to add a header or a body', async (end) => {
      const attack = `Jo${end}Bcc: thief@mail.example${end}X-Attack: yes`
      const sent = mail({ to: { name: attack, address: 'jo@mail.example' }, subject: attack })
      await transport.send(sent)
      const got = await onlyDelivered()
      expect(got.to).toEqual([{ name: 'Jo Bcc: thief@mail.example X-Attack: yes', address: 'jo@mail.example' }])
      expect(got.subject).toBe('Jo Bcc: thief@mail.example X-Attack: yes')
      expect(got.headers.map(({ key }) => key)).not.toContain('bcc')
      expect(got.headers.map(({ key }) => key)).not.toContain('x-attack')
      expect(got.text?.trimEnd()).toBe(sent.text)
    })

    it('refuses anything but exactly one address', async () => {
      const two = ['a@mail.example, b@mail.example', 'jo@mail.example\r\nBcc: b@mail.example']
      const none = ['', 'erased', '@mail.example', 'jo@', ...two]
      for (const address of none)
        await expect(transport.send(mail({ to: { name: 'Jo', address } }))).rejects.toThrow(PermanentMailFailure)
      expect(await place().delivered()).toEqual([])
    })

    it('gives a repeated mail the same Message-ID', async () => {
      const sent = mail()
      await transport.send(sent)
      await transport.send(sent)
      await transport.send(mail())
      const ids = (await delivered()).map(({ messageId }) => messageId)
      expect(new Set(ids).size).toBe(2)
    })

    it('delivers many mails at once', async () => {
      const mails = Array.from({ length: 20 }, (_, number) => mail({ text: `Number ${number}` }))
      await Promise.all(mails.map((each) => transport.send(each)))
      await vi.waitFor(async () => expect(await place().delivered()).toHaveLength(20))
      expect((await delivered()).map(({ text }) => text?.trimEnd()).sort()).toEqual(
        mails.map(({ text }) => text).sort(),
      )
    })

    it('erases a person without mails', async () => {
      await expect(transport.forget(newUser())).resolves.toBeUndefined()
    })

    it('reports an outage, and works again afterwards', async () => {
      await expect(transport.ready()).resolves.toBeUndefined()
      await place().disconnect()
      await expect(transport.ready()).rejects.toThrow(Unavailable)
      await expect(transport.send(mail())).rejects.toThrow(Unavailable)
      await place().reconnect()
      await expect(transport.ready()).resolves.toBeUndefined()
      expect(await place().delivered()).toEqual([])
      const sent = mail()
      await transport.send(sent)
      expect((await onlyDelivered()).subject).toBe(sent.subject)
    })
  })

const newUser = () => `u${randomUUID().replaceAll('-', '')}`

/** A mail to a new person. */
export function mail(changes: Partial<Mail> = {}): Mail {
  return {
    id: randomUUID(),
    recipientId: newUser(),
    to: { name: 'Jo Lee', address: 'jo.lee@mail.example' },
    subject: 'Reset your Proofdesk password',
    text: 'Hello Jo Lee,\n\nchoose a new password: https://firm.example/reset?token=a&b=c',
    html: '<p>Hello Jo Lee</p>\n<a href="https://firm.example/reset?token=a&amp;b=c">Choose a new password</a>',
    ...changes,
  }
}
