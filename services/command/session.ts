import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'cookie'
import type { Request, Response } from 'express'
import { INVALID_RESET_TOKEN, routes } from '../contract/index.ts'
import { openAccount } from '../domain/account.ts'
import { checkPasswordLink, registerUser, requestPasswordReset, resetPassword } from '../domain/user.ts'
import { fieldFailure } from '../contract/index.ts'
import { banned, HttpError } from '../http/errors.ts'
import { done } from '../http/serve.ts'
import { hashToken, sameHash } from '../journal/secrets.ts'
import { userAnswer } from './answers.ts'
import { type CommandParts, type Register, streamsOf } from './parts.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { takeTry } from './throttle.ts'
import { newPasswordLink, newUserId, ownerOfToken, RESET_LIVES } from './tokens.ts'

/** Registration, sign-in and forgotten passwords (specification §5, §7). */
export function registerSessionCalls(register: Register, parts: CommandParts): void {
  const { journal, addresses, sessions, sessionStore, throttle, now, log } = parts
  const { users, accounts } = streamsOf(journal)

  register(routes.register, async ({ body, context, request, response }) => {
    const { fullName, email, country, city, street, houseNumber, privacyPolicyAgreed } = body
    if (await addresses.userOf(email)) throw new HttpError(409, fieldFailure('email', 'This email is already registered'))
    const passwordHash = await hashPassword(body.password)
    const userId = newUserId()
    const own = { ...context, actor: { kind: 'trader', id: userId } } as const
    const claim = await addresses.claim(userId, email, own)
    const profile = { fullName, email, country, city, street, houseNumber }
    const registration = { ...profile, emailClaim: claim.emailClaim, passwordHash, privacyPolicyAgreed }
    const registered = await users.change(userId, own, (user) => registerUser(user, registration, claim))
    const causationId = registered.eventIds.at(-1) ?? own.causationId
    const { position } = await accounts.change(userId, { ...own, causationId }, (account) => openAccount(account, userId))
    await sessions.start(request, response, 'trader', userId)
    return { status: 201, body: userAnswer(userId, registered.state), position }
  })

  register(routes.login, async ({ body, request, response }) => {
    const account = parts.secrets.emailHash(body.email)
    const known = deviceMarksOf(request, 'device').includes(parts.secrets.deviceMark(account))
    const tried = await takeTry([
      known ? [throttle.signInDevice, account] : [throttle.signInAccount, account],
      [throttle.signInAddress, addressOf(request)],
    ])
    const userId = await addresses.userOf(body.email)
    const user = userId && (await users.load(userId)).state
    const right = await isPassword(body.password, user?.passwordHash ?? null)
    if (!userId || !user || !right) {
      log.info({ requestId: request.requestId, userId, address: request.ip }, 'sign-in refused')
      throw new HttpError(401, { message: 'Invalid email or password' })
    }
    await tried.excuse()
    if (user.ban) throw banned(user.ban.reason)
    await sessions.start(request, response, 'trader', userId)
    markDevice(request, response, 'device', parts.secrets.deviceMark(account), parts.secureCookies)
    log.info({ requestId: request.requestId, userId, address: request.ip }, 'signed in')
    return { body: userAnswer(userId, user) }
  })

  register(routes.logout, async ({ request, response }) => {
    await sessions.end(request, response, 'trader')
    return done()
  })

  register(routes.forgotPassword, async ({ body, context, request }) => {
    const account = parts.secrets.emailHash(body.email)
    await takeTry([
      [throttle.forgotAccount, account],
      [throttle.forgotAddress, addressOf(request)],
    ])
    const ask = async () => {
      const userId = await addresses.userOf(body.email)
      if (!userId) return
      const link = newPasswordLink(userId, now() + RESET_LIVES)
      await users.change(userId, context, (user) => requestPasswordReset(user, link))
    }
    // Both ways take as long, and neither tells a position: the answer must not say whose address is known.
    await Promise.all([ask(), delay(SAME_TIME)])
    return { body: { message: 'If the address is registered, a link to reset the password is on its way.' } }
  })

  register(routes.resetPassword, async ({ body, context, request }) => {
    const unknown = new HttpError(400, fieldFailure('token', INVALID_RESET_TOKEN))
    const userId = ownerOfToken(body.token)
    const tried = await takeTry([
      [throttle.resetAccount, userId ?? 'unknown'],
      [throttle.resetAddress, addressOf(request)],
    ])
    if (!userId) throw unknown
    const tokenHash = hashToken(body.token)
    const isItsHash = (hash: string) => sameHash(hash, tokenHash)
    const { state } = await users.load(userId)
    checkPasswordLink(state, isItsHash, now())
    const passwordHash = await hashPassword(body.password)
    const own = { ...context, actor: { kind: 'trader', id: userId } } as const
    const { position } = await users.change(userId, own, (user) => resetPassword(user, isItsHash, passwordHash, now()))
    await sessionStore.endAll('trader', userId)
    await tried.excuse()
    if (state.emailClaim) await throttle.signInAccount.clear(state.emailClaim)
    return done(position)
  })
}

/** Ms that asking for a link takes, whether or not there is somebody to send it to. */
const SAME_TIME = 80

/** The client's address as far as it is known. */
export function addressOf(request: Request): string {
  return request.ip ?? 'unknown'
}

const DEVICE_LIVES = 365 * 24 * 60 * 60_000
const DEVICES_REMEMBERED = 10

/** The marks that a browser got at earlier sign-ins: see throttle.ts. */
export function deviceMarksOf(request: Request, kind: 'device' | 'admin-device'): string[] {
  return (parse(request.headers.cookie ?? '')[`proofdesk-${kind}`] ?? '').split('.').filter((mark) => mark !== '')
}

/** Lets the browser keep that somebody signed in with it. */
export function markDevice(request: Request, response: Response, kind: 'device' | 'admin-device', mark: string, secure: boolean): void {
  const marks = [mark, ...deviceMarksOf(request, kind).filter((other) => other !== mark)].slice(0, DEVICES_REMEMBERED)
  response.cookie(`proofdesk-${kind}`, marks.join('.'), { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: DEVICE_LIVES })
}
