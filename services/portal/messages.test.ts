import { UserList } from '#services/trading/traders/trader-api.ts'
import { HttpError, parsed } from '#services/framework/http/http-errors.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { EvidenceGiven } from '#services/trading/accounts/account-api.ts'
import { AccountChanges } from '#services/trading/accounts/account-change-api.ts'
import { NO_DAY } from '#services/framework/api/pagination-schemas.ts'
import { NO_MOMENT } from '#services/oversight/audit/audit-api.ts'
import {
  certificateFileMessages,
  CertificateForm,
  CertificateUpload,
  LARGEST_CERTIFICATE,
} from '#services/trading/certificates/certificate-api.ts'
import { type ErrorAnswer, validationFailure } from '#services/framework/api/error-schemas.ts'
import { IdempotencyKey } from '#services/framework/api/idempotency-key.ts'
import { PayoutList, PayoutRequest, PayoutVerdict } from '#services/payments/payouts/payout-api.ts'
import { allRoutes } from './routes.ts'
import {
  AdminCredentials,
  Credentials,
  PasswordChange,
  PasswordForgotten,
  PasswordReset,
  PasswordResetForm,
  Registration,
  RegistrationForm,
} from '#services/identity/sign-in/sign-in-api.ts'
import { Ban, NewUser, UserChanges, ProfileChanges } from '#services/identity/users/user-api.ts'

/** Every message of the specification's §5, with inputs that cause it. */

const LEFT_OUT = Symbol('left out')

const registration = {
  fullName: 'Ada Byron',
  email: 'ada@example.com',
  password: 'correct horse',
  confirmPassword: 'correct horse',
  privacyPolicyAgreed: true,
  country: 'uk',
  city: 'London',
  street: "St James's Square",
  houseNumber: '12',
}
const credentials = { email: 'ada@example.com', password: 'correct horse' }
const passwordChange = { currentPassword: 'old password', newPassword: 'new password', confirmPassword: 'new password' }
const passwordReset = { token: 'a token', password: 'new password' }
const passwordResetForm = { password: 'new password', confirmPassword: 'new password' }
const payout = { amount: '250.00', paymentMethod: 'bank', paymentDetails: 'IBAN' }
const rejection = { status: 'rejected', adminNotes: 'No trades yet' }
const evidence = { rule: 'overall-loss', limit: '10%', value: '-10.2%', occurredAt: '2026-03-03T14:07:00+01:00' }
const ban = { banned: true, banReason: 'Copied trades' }
const pdfOf = (size: number) => new File([new Uint8Array(size)], 'a.pdf', { type: 'application/pdf' })
const upload = { name: 'Phase 1 passed', userId: 'u1', issuedAt: '2024-05-31' }
const uploadForm = { name: 'Phase 1 passed', certificateFile: pdfOf(5) }
const noEmails = [
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@example',
  'a b@example.com',
  `${'a'.repeat(250)}@example.com`,
  5,
  null,
]

interface Case {
  readonly of: string
  readonly schema: z.ZodType
  readonly good: Readonly<Record<string, unknown>>
  readonly field: string
  readonly values: readonly unknown[]
  readonly message: string
}

function failing(
  of: string,
  schema: z.ZodType,
  good: Case['good'],
  field: string,
  values: readonly unknown[],
  message: string,
): Case {
  return { of, schema, good, field, values, message }
}

const different = { confirmPassword: 'Passwords do not match' }
const long = (length: number) => 'x'.repeat(length)
const addressFields = ['country', 'city', 'street', 'houseNumber']
const missing = [LEFT_OUT, '']

const cases: Case[] = [
  ...[Registration, RegistrationForm].flatMap((schema, i) => {
    const of = ['registration', 'the sign-up form'][i] ?? ''
    return [
      failing(
        of,
        schema,
        registration,
        'fullName',
        [...missing, 'A', '  A  ', 5],
        'Full name must be at least 2 characters',
      ),
      failing(of, schema, registration, 'fullName', [long(201)], 'Full name is too long'),
      failing(of, schema, registration, 'email', [LEFT_OUT, ...noEmails], 'Please enter a valid email'),
      failing(of, schema, registration, 'password', [...missing, '1234567'], 'Password must be at least 8 characters'),
      failing(of, schema, registration, 'password', [long(101)], 'Password is too long'),
      failing(
        of,
        schema,
        registration,
        'confirmPassword',
        ['correct', 'CORRECT HORSE', 'correct horse '],
        'Passwords do not match',
      ),
      failing(of, schema, registration, 'confirmPassword', [''], 'Please confirm your password'),
      failing(
        of,
        schema,
        registration,
        'privacyPolicyAgreed',
        [LEFT_OUT, false, null, 'true', 1],
        'You must agree to the privacy policy',
      ),
      ...addressFields.flatMap((field) => [
        failing(of, schema, registration, field, [...missing, '   ', null], 'Required'),
        failing(of, schema, registration, field, [5, {}], 'Invalid input'),
        failing(of, schema, registration, field, [long(201)], 'Must be at most 200 characters'),
      ]),
    ]
  }),
  failing(
    'the sign-up form',
    RegistrationForm,
    registration,
    'confirmPassword',
    [LEFT_OUT],
    'Please confirm your password',
  ),
  failing('sign-in', Credentials, credentials, 'email', [LEFT_OUT, ...noEmails], 'Please enter a valid email'),
  failing('sign-in', Credentials, credentials, 'password', [...missing, null], 'Password is required'),
  failing('the profile', ProfileChanges, {}, 'email', noEmails, 'Please enter a valid email'),
  failing('the profile', ProfileChanges, {}, 'city', [5], 'Invalid input'),
  failing(
    'a password change',
    PasswordChange,
    passwordChange,
    'currentPassword',
    missing,
    'Current password is required',
  ),
  failing(
    'a password change',
    PasswordChange,
    passwordChange,
    'newPassword',
    [...missing, '1234567'],
    'New password must be at least 8 characters',
  ),
  failing('a password change', PasswordChange, passwordChange, 'newPassword', [long(101)], 'New password is too long'),
  failing(
    'a password change',
    PasswordChange,
    passwordChange,
    'confirmPassword',
    [...missing, 'another'],
    'Passwords do not match',
  ),
  failing(
    'a forgotten password',
    PasswordForgotten,
    {},
    'email',
    [LEFT_OUT, ...noEmails],
    'Please enter a valid email address',
  ),
  failing('a reset', PasswordReset, passwordReset, 'token', [...missing, ' ', null, long(501)], 'Invalid reset token'),
  failing(
    'a reset',
    PasswordReset,
    passwordReset,
    'password',
    [...missing, '1234567'],
    'Password must be at least 8 characters',
  ),
  failing('a reset', PasswordReset, passwordReset, 'password', [long(101)], 'Password is too long'),
  failing(
    'the reset form',
    PasswordResetForm,
    passwordResetForm,
    'confirmPassword',
    [...missing, '1234567'],
    'Password must be at least 8 characters',
  ),
  failing(
    'the reset form',
    PasswordResetForm,
    passwordResetForm,
    'confirmPassword',
    ['new passwore'],
    'Passwords do not match',
  ),
  failing('an access key', AdminCredentials, {}, 'accessKey', [...missing, '  ', 5, long(501)], 'Invalid access key'),
  failing(
    'a payout',
    PayoutRequest,
    payout,
    'amount',
    [...missing, 'NaN', 'ten', null],
    'Amount must be a valid number',
  ),
  failing('a payout', PayoutRequest, payout, 'amount', ['0', '-5', 0], 'Amount must be greater than 0'),
  failing('a payout', PayoutRequest, payout, 'amount', ['1.001'], 'Amount must have at most 2 decimal places'),
  failing('a payout', PayoutRequest, payout, 'amount', ['100000000.01'], 'Amount must be at most 100,000,000'),
  failing(
    'a payout',
    PayoutRequest,
    payout,
    'paymentMethod',
    [...missing, 'cash', 'Bank'],
    'Please select a payment method',
  ),
  failing('a payout', PayoutRequest, payout, 'paymentDetails', [5], 'Invalid input'),
  failing('a payout', PayoutRequest, payout, 'paymentDetails', [long(1001)], 'Must be at most 1000 characters'),
  failing('a verdict', PayoutVerdict, rejection, 'status', [LEFT_OUT], 'Required'),
  failing('a verdict', PayoutVerdict, rejection, 'status', ['pending', ''], 'Invalid input'),
  failing(
    'a verdict',
    PayoutVerdict,
    rejection,
    'adminNotes',
    [...missing, ' \n'],
    'Please provide notes for rejecting this payout',
  ),
  failing('a verdict', PayoutVerdict, rejection, 'adminNotes', [long(2001)], 'Must be at most 2000 characters'),
  ...[NewUser, UserChanges].flatMap((schema) => [
    failing(
      'a user by an admin',
      schema,
      registration,
      'fullName',
      ['', 'A', ' A '],
      'Full name must be at least 2 characters',
    ),
    failing('a user by an admin', schema, registration, 'email', noEmails, 'Please enter a valid email'),
    failing('a user by an admin', schema, registration, 'street', [5, {}], 'Invalid input'),
  ]),
  failing('a new user', NewUser, registration, 'fullName', [LEFT_OUT], 'Full name must be at least 2 characters'),
  failing('a new user', NewUser, registration, 'email', [LEFT_OUT], 'Please enter a valid email'),
  failing('a ban', Ban, ban, 'banReason', [...missing, '   ', null], 'Please provide a reason for banning this user'),
  failing('a ban', Ban, ban, 'banned', [LEFT_OUT], 'Required'),
  failing('a ban', Ban, ban, 'banned', ['true', 1], 'Invalid input'),
  failing('an account', AccountChanges, {}, 'balance', ['', 'lots', null], 'Balance must be a valid number'),
  failing('an account', AccountChanges, {}, 'profitLoss', ['', 'NaN'], 'Profit/loss must be a valid number'),
  failing('an account', AccountChanges, {}, 'balance', ['1.001'], 'Balance must have at most 2 decimal places'),
  failing('an account', AccountChanges, {}, 'status', ['Active', 'banned', ''], 'Invalid input'),
  failing('an account', AccountChanges, {}, 'payoutEnabled', ['true', 1, null], 'Invalid input'),
  failing('an account', AccountChanges, {}, 'profitTarget', [true, {}], 'Invalid input'),
  failing('an account', AccountChanges, {}, 'login', [5], 'Invalid input'),
  failing('an account', AccountChanges, {}, 'reason', [5, {}], 'Invalid input'),
  failing('an account', AccountChanges, {}, 'reason', [long(2001)], 'Must be at most 2000 characters'),
  failing('an account', AccountChanges, {}, 'evidence', ['lost', 5], 'Invalid input'),
  failing('an account', AccountChanges, {}, 'corrects', ['1042', 0, -1, 1.5], 'Invalid input'),
  failing('evidence', EvidenceGiven, evidence, 'rule', [...missing, 'luck'], 'Please select the rule'),
  failing('evidence', EvidenceGiven, evidence, 'limit', [...missing, ' '], 'Please enter the limit'),
  failing('evidence', EvidenceGiven, evidence, 'limit', [5], 'Invalid input'),
  failing('evidence', EvidenceGiven, evidence, 'value', [...missing, ' '], 'Please enter the value that broke it'),
  failing('evidence', EvidenceGiven, evidence, 'value', [long(501)], 'Must be at most 500 characters'),
  failing(
    'evidence',
    EvidenceGiven,
    evidence,
    'occurredAt',
    [...missing, 5, 'now', '2026-03-03', '2026-03-03T14:07'],
    'Please enter when it happened',
  ),
  failing('an upload', CertificateUpload, upload, 'name', [...missing, '  '], 'Certificate name is required'),
  failing('an upload', CertificateUpload, upload, 'userId', missing, 'Required'),
  failing(
    'an upload',
    CertificateUpload,
    upload,
    'issuedAt',
    ['yesterday', '31.05.2024', '2024-02-30', '2024-05-31T10:00:00', 5],
    'Invalid input',
  ),
  failing(
    'the upload form',
    CertificateForm,
    uploadForm,
    'certificateFile',
    [LEFT_OUT, null, 'a.pdf'],
    'Certificate PDF is required',
  ),
  failing(
    'the upload form',
    CertificateForm,
    uploadForm,
    'certificateFile',
    [pdfOf(LARGEST_CERTIFICATE + 1)],
    'File size must be less than 5MB',
  ),
  failing(
    'the upload form',
    CertificateForm,
    uploadForm,
    'certificateFile',
    [new File(['x'], 'a.txt', { type: 'text/plain' })],
    'Only PDF files are accepted',
  ),
  failing(
    'a list',
    UserList,
    {},
    'limit',
    ['0', '1001', '-1', 'ten', '1e2', ['5', '6']],
    'Limit must be a whole number from 1 to 1000',
  ),
  failing('a list', UserList, {}, 'status', ['Active', 'all', ['active']], 'Invalid input'),
  failing('a list', PayoutList, {}, 'sort', ['userId', 'balance'], 'Invalid input'),
]

function failureOf(schema: z.ZodType, input: unknown): ErrorAnswer | undefined {
  const { error } = schema.safeParse(input)
  return error && validationFailure(error)
}

function withField(good: Case['good'], field: string, value: unknown): Record<string, unknown> {
  const { [field]: _, ...others } = good
  return value === LEFT_OUT ? others : { ...others, [field]: value }
}

describe('the messages of the specification', () => {
  for (const { of, schema, good, field, values, message } of cases)
    it(`${of}: '${message}' for ${field}`, () => {
      for (const value of values)
        expect(failureOf(schema, withField(good, field, value)), JSON.stringify(value)).toEqual({
          message,
          // Changing only the password breaks the match with its confirmation, which is reported after its own message.
          errors: {
            ...(/^(new)?password$/i.test(field) && 'confirmPassword' in good ? different : {}),
            [field]: message,
          },
        })
    })

  it('are absent from valid input', () => {
    const right: [z.ZodType, unknown][] = [
      [Registration, registration],
      [Registration, withField(registration, 'confirmPassword', LEFT_OUT)],
      [RegistrationForm, registration],
      [Credentials, credentials],
      [ProfileChanges, {}],
      [ProfileChanges, { country: '', city: '', street: '', houseNumber: '' }],
      [PasswordChange, passwordChange],
      [PasswordReset, passwordReset],
      [PasswordResetForm, passwordResetForm],
      [PayoutRequest, payout],
      [PayoutVerdict, rejection],
      [PayoutVerdict, { status: 'approved' }],
      [NewUser, { fullName: 'Al', email: 'al@example.com' }],
      [UserChanges, {}],
      [Ban, ban],
      [Ban, { banned: false }],
      [Ban, { banned: false, banReason: null }],
      [AccountChanges, {}],
      [CertificateUpload, upload],
      [CertificateForm, uploadForm],
      [CertificateForm, { ...uploadForm, certificateFile: pdfOf(LARGEST_CERTIFICATE) }],
    ]
    for (const [schema, input] of right) expect(failureOf(schema, input)).toBeUndefined()
  })

  it('are reported together, including those about two fields', () => {
    expect(
      failureOf(Registration, { ...registration, fullName: 'A', city: undefined, confirmPassword: 'other' }),
    ).toEqual({
      message: 'Full name must be at least 2 characters',
      errors: {
        fullName: 'Full name must be at least 2 characters',
        city: 'Required',
        confirmPassword: 'Passwords do not match',
      },
    })
    expect(Object.keys(failureOf(Registration, {})?.errors ?? {})).toEqual([
      'fullName',
      'email',
      'password',
      'privacyPolicyAgreed',
      'country',
      'city',
      'street',
      'houseNumber',
    ])
  })

  it("are the server's for invalid files too", () => {
    expect(certificateFileMessages).toEqual({
      required: 'Certificate PDF is required',
      tooLarge: 'File size must be less than 5MB',
      noPdf: 'Only PDF files are accepted',
    })
    expect(LARGEST_CERTIFICATE).toBe(5_242_880)
  })

  it("are never zod's own", () => {
    const ours = new Set([
      ...cases.map(({ message }) => message),
      'Password is too long',
      'Current password is too long',
      'Please enter a name',
      'Please enter the code',
      'Please say why this account is closed',
      'Please say why this observation is corrected',
      'Please say why this finding is dismissed',
      'Please say why this file is recorded all the same',
      'Please say why',
      'Please give either a state or a hold',
      'Please choose the question that was answered',
      'Please choose what the program may do',
      NO_MOMENT,
      NO_DAY,
      'Please select at least one payout',
      'Please select at most 5,000 payouts',
      'A payout is selected twice',
      'Please name either a finding or an observation',
      'Please name the payout, or the number of the entry',
      'Please write at least 20 characters',
      'Please write a message',
      'This is no change of a decision',
      'Please name at most 50',
      'Only a rejection has this',
      'Please choose a programme',
      'Please give a reason',
      'Please enter an address that begins with https://',
      'Please enter a colour as # and six digits of 0 to 9 and a to f, such as #1d4ed8',
      'Please enter a valid email address',
      'The file must be at most 48 KB',
      'Please enter euro for one dollar, with at most 6 decimal places',
      'Please give at least one code',
      'Please write the note',
      'Please write the text',
      'Please enter a code of letters, digits, blanks and . _ : / ( ) -',
    ])
    const ofMoney =
      /^(Amount|Balance|Profit\/loss) must (be|have) (a valid number|greater than 0|at (most|least) [-\d,]+( decimal places)?)$/
    const known = (message: string) =>
      ours.has(message) ||
      /^Must be at most \d+ characters$/.test(message) ||
      message.startsWith('expected ') ||
      ofMoney.test(message)
    const forms = [RegistrationForm, PasswordResetForm, CertificateForm]
    const requests = [...allRoutes.flatMap(({ body, query }) => [body, query]), ...forms]
    const objects = requests.filter((schema) => schema instanceof z.ZodObject)
    expect(objects).toHaveLength(requests.filter((schema) => schema).length)
    for (const schema of objects) {
      const fields = Object.fromEntries(Object.keys(schema.shape).map((field) => [field, fc.anything()]))
      fc.assert(
        fc.property(fc.oneof(fc.record(fields, { requiredKeys: [] }), fc.anything()), (input) => {
          for (const message of messagesAbout(schema, input)) expect(message).toSatisfy(known)
        }),
      )
    }
  })
})

/** The messages of a refusal, as a caller gets them. */
function messagesAbout(schema: z.ZodType, input: unknown): string[] {
  try {
    parsed(schema, input)
    return []
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const { body } = error
    return [body.message, ...('errors' in body ? Object.values(body.errors ?? {}) : [])]
  }
}

describe('an idempotency key', () => {
  it('is printable ASCII of limited length', () => {
    expect(IdempotencyKey.safeParse('a-key').success).toBe(true)
    for (const key of ['', long(201), 'ключ', 'a\nb']) {
      const { error } = IdempotencyKey.safeParse(key)
      expect(error && validationFailure(error)).toEqual({
        message: 'Idempotency-Key must be 1 to 200 plain characters',
      })
    }
  })
})
