import type { Answer, Browser } from './http-client.ts'

/** The most sign-ins for one request. */
const TRIES = 5

/**
 * A browser that signs in again and repeats its request when its session is lost: a Redis without a disk loses all
 * sessions when it restarts. Concurrent requests sign in once.
 *
 * @param signIn signs in with that browser; its answer is returned when the portal is unavailable
 */
export function retryWithSignIn(browser: Browser, signIn: () => Promise<Answer>): Browser {
  let signedIn = 0
  let signingIn: Promise<Answer> | undefined
  const asking = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (let tries = TRIES; ; tries--) {
      const before = signedIn
      const answer = await ask()
      if (answer.status !== 401 || tries === 0) return answer
      // Another request has signed in meanwhile.
      if (before !== signedIn) continue
      signingIn ??= signIn()
        .then((made) => {
          if (made.status === 200) signedIn += 1
          return made
        })
        .finally(() => (signingIn = undefined))
      const made = await signingIn
      if (made.status !== 200) return made.status >= 500 ? made : answer
    }
  }
  return {
    cookies: browser.cookies,
    send: (...given) => asking(() => browser.send(...given)),
    get: (...given) => asking(() => browser.get(...given)),
    post: (...given) => asking(() => browser.post(...given)),
    patch: (...given) => asking(() => browser.patch(...given)),
    delete: (...given) => asking(() => browser.delete(...given)),
  }
}
