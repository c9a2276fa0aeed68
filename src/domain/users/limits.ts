/** Limits of users, their sessions and their sign-ins. Contract 8.2 and 13. */
export const userLimits = {
  passwordCharsMin: 12,
  passwordCharsMax: 256,
  /** Passwords hashed at a time in a process, each with 19 MiB and a thread, and as many that wait. */
  passwordHashesMax: 2,
  passwordHashesQueuedMax: 32,
  invitationSeconds: 24 * 60 * 60,
  /** Open at a time, for one account. */
  invitationsMax: 50,
  sessionIdleSeconds: 12 * 60 * 60,
  sessionSeconds: 7 * 24 * 60 * 60,
  /** The time of the last request is stored at most this often. */
  sessionSeenSeconds: 60,
  /** Of one user; with more, the one that was not used for the longest time ends. */
  sessionsMax: 20,
  /** After a password or passkey, secrets are shown without asking again. */
  confirmationSeconds: 5 * 60,
  challengeSeconds: 5 * 60,
  passkeysMax: 20,
  userAgentCharsMax: 256,
  /** The failure from which on sign-ins are delayed: of one e-mail address, and of one address on the network. */
  signInFailuresOfUser: 4,
  signInFailuresOfAddress: 20,
  signInDelaySecondsMax: 15 * 60,
  /** When failures are forgotten, and the device and the address of a success, which have a delay of their own. */
  signInFailuresSeconds: 24 * 60 * 60,
  knownVisitorSeconds: 30 * 24 * 60 * 60,
  /** Calls of the dashboard without a session, for one address on the network. */
  visitorRequestsPerSecond: 20,
  visitorsCountedMax: 50_000,
} as const;
