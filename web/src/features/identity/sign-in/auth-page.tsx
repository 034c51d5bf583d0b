import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { flushSync } from 'react-dom'
import { Credentials } from '#services/identity/sign-in/sign-in-api.ts'
import type { AdminRole } from '#services/identity/staff/staff-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import type { Session } from '@/api/session.ts'
import { shownBan, type Ban } from '@/features/frame/session-queries.ts'
import { SupportContact } from '@/features/frame/support-contact.tsx'
import { FactorProofForm } from '@/features/identity/second-factors/factor-proof-form.tsx'
import { signInChoiceQuery } from '@/features/identity/second-factors/factor-queries.ts'
import { useFirmName } from '@/firm.ts'
import { useApiForm } from '@/form/api-form.ts'
import { toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { PasswordInput, TextInput } from '@/ui/field.tsx'
import { TextLink } from '@/ui/link.tsx'
import { FormError, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { useStore } from '@/use-store.ts'
import { PanelButton, SignedOutFrame } from './outside-frame.tsx'
import { RegisterForm } from './register-form.tsx'
import { isAdminPath, returnPath, tellSignInFailure, tellBan } from './session-end.ts'
import { COOKIES_BLOCKED, logInWithPasskey, logIn, logInAsAdmin, logInWithFactor } from './sign-in-queries.ts'

/**
 * Login and Sign Up in tabs, and the administrators' panel (specification §2). The tab is in the address: #register.
 */
export function AuthPage() {
  const { hash, state } = useLocation()
  const navigate = useNavigate()
  const router = useRouter()
  const firm = useFirmName()
  const ban = useStore(shownBan)
  const [asAdmin, setAsAdmin] = useState(() => isAdminPath(state.returnTo ?? ''))
  /** Changes the panel and focuses its first field. */
  const show = (admin: boolean) => {
    flushSync(() => setAsAdmin(admin))
    document.querySelector<HTMLInputElement>('main input')?.focus()
  }
  /** The kind of the sign-in that waits for its second factor. */
  const [pending, setPending] = useState<Session>()
  const goOn = (session: Session, role?: AdminRole) => router.history.push(returnPath(state.returnTo, session, role))

  if (ban) return <BannedPage ban={ban} />
  if (pending)
    return (
      <SignedOutFrame
        title="Confirm it is you"
        line="Your sign-in needs a second factor."
        below={<PanelButton onClick={() => setPending(undefined)}>Start again</PanelButton>}
      >
        <SecondStep session={pending} onDone={(role) => goOn(pending, role)} onExpired={() => setPending(undefined)} />
      </SignedOutFrame>
    )
  if (asAdmin)
    return (
      <SignedOutFrame
        title="Admin Login"
        line="For administrators and auditors, with an access key."
        below={<PanelButton onClick={() => show(false)}>Return to Trader Login</PanelButton>}
      >
        <AdminLoginForm onDone={(role) => goOn('admin', role)} onSecondFactor={() => setPending('admin')} />
      </SignedOutFrame>
    )
  const registering = hash === 'register'
  return (
    <SignedOutFrame
      title={registering ? 'Create your account' : `Sign in to ${firm}`}
      line={
        registering
          ? 'One account for your challenges, payouts and certificates.'
          : 'Your account, your limits and your payouts.'
      }
      below={<PanelButton onClick={() => show(true)}>Admin Login</PanelButton>}
    >
      <Tabs
        label="Login or Sign Up"
        value={registering ? 'register' : 'login'}
        // Keeps the state, which holds the page to return to.
        onChange={(tab) =>
          void navigate({
            to: '/auth',
            hash: tab === 'register' ? 'register' : '',
            replace: true,
            state: (before) => before,
          })
        }
        tabs={[
          {
            value: 'login',
            label: 'Login',
            content: (
              <div className="flex flex-col gap-4">
                <LoginForm onDone={() => goOn('trader')} onSecondFactor={() => setPending('trader')} />
                <PasskeyLogin onDone={() => goOn('trader')} />
              </div>
            ),
          },
          { value: 'register', label: 'Sign Up', content: <RegisterForm onDone={() => router.history.push('/')} /> },
        ]}
      />
    </SignedOutFrame>
  )
}

/** Signs a trader in with a passkey, without email and password. */
function PasskeyLogin({ onDone }: { readonly onDone: () => void }) {
  const login = useMutation(logInWithPasskey)
  const start = () => login.mutate(undefined, { onSuccess: onDone, onError: (error) => tellSignInFailure(error) })
  return (
    <Button look="secondary" busy={login.isPending} onClick={start}>
      <KeyRound size={16} aria-hidden />
      Login with a passkey
    </Button>
  )
}

/** Says why someone is banned, and whom to ask. */
function BannedPage({ ban: { reason } }: { readonly ban: Ban }) {
  return (
    <SignedOutFrame
      title="Account Banned"
      line="You cannot sign in while the ban lasts."
      below={<PanelButton onClick={() => shownBan.set(undefined)}>Back to Login</PanelButton>}
    >
      {reason === null ? (
        <p>Your account has been banned. Please contact support for assistance.</p>
      ) : (
        <>
          <h2 className="text-13 font-medium text-muted">Reason</h2>
          <p className="mt-1 break-words whitespace-pre-line">{reason}</p>
        </>
      )}
      <p className="mt-4 border-t border-line pt-4 text-13 text-muted">
        {reason !== null && 'If you think that this is a mistake, ask support to look at it again. '}
        <SupportContact>Your history and your payouts are kept.</SupportContact>
      </p>
    </SignedOutFrame>
  )
}

/** Signs a trader in. A toast shows failures (specification §8). */
function LoginForm({ onDone, onSecondFactor }: { readonly onDone: () => void; readonly onSecondFactor: () => void }) {
  const login = useMutation(logIn)
  const { field, handleSubmit, showRefusal } = useApiForm(Credentials, { email: '', password: '' })
  const onSubmit = handleSubmit((credentials) =>
    login.mutate(credentials, {
      onSuccess: onDone,
      onError: (error) => {
        if (error instanceof ApiError && error.code === 'second-factor-required') return onSecondFactor()
        showRefusal(error)
        tellSignInFailure(error, { brief: true })
      },
    }),
  )
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextInput label="Email" type="email" autoComplete="username" {...field('email')} />
      <PasswordInput label="Password" autoComplete="current-password" {...field('password')} />
      <FormError error={login.error} />
      <Button type="submit" busy={login.isPending}>
        Login
      </Button>
      <p className="text-center text-13">
        <TextLink to="/forgot-password">Forgot your password?</TextLink>
      </p>
    </form>
  )
}

interface AdminLoginFormProps {
  readonly onDone: (role: AdminRole) => void
  readonly onSecondFactor: () => void
}

/** Signs an administrator or auditor in by an access key. */
function AdminLoginForm({ onDone, onSecondFactor }: AdminLoginFormProps) {
  const [accessKey, setAccessKey] = useState('')
  const login = useMutation(logInAsAdmin)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A blank comes along when it is copied.
    login.mutate(
      { accessKey: accessKey.trim() },
      {
        onSuccess: ({ role }) => onDone(role),
        onError: (error) => {
          if (error instanceof ApiError && error.code === 'second-factor-required') onSecondFactor()
          else toastFailure('Login failed', messageOf(error, 'Invalid access key'), { brief: true })
        },
      },
    )
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <PasswordInput
        label="Access Key"
        autoComplete="off"
        value={accessKey}
        onChange={({ target }) => setAccessKey(target.value)}
      />
      <FormError error={login.error} fallback="Invalid access key" />
      <Button type="submit" busy={login.isPending} disabled={accessKey.trim() === ''}>
        Login
      </Button>
    </form>
  )
}

interface SecondStepProps {
  readonly session: Session
  readonly onDone: (role: AdminRole | undefined) => void
  /** The password or access key is needed again. */
  readonly onExpired: () => void
}

/** The second step of a sign-in. */
export function SecondStep({ session, onDone, onExpired }: SecondStepProps) {
  const choice = useQuery(signInChoiceQuery(session))
  const step = useMutation(logInWithFactor(session))
  if (choice.isError) {
    // The password was right a moment ago: what the server does not know again was in a cookie.
    const isForgotten = choice.error instanceof ApiError && choice.error.status === 401
    const error = isForgotten ? new ApiError(0, COOKIES_BLOCKED) : choice.error
    return <ErrorState className="py-4!" title="The sign-in cannot go on" error={error} />
  }
  if (!choice.data) return <LoadingLines label="Loading" lines={3} />
  return (
    <FactorProofForm
      choice={choice.data}
      busy={step.isPending}
      error={step.error}
      onProof={(proof) =>
        step.mutate(proof, {
          onSuccess: (admin) => onDone(admin?.role),
          onError: (error) => {
            if (!(error instanceof ApiError)) return
            if (error.banned) tellBan(error.banned.reason)
            if (error.status !== 401) return
            toastFailure('Login failed', error.message)
            onExpired()
          },
        })
      }
    />
  )
}
