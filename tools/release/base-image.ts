/** The image that the Dockerfile begins with, as a release needs it: one that cannot change, with the pinned Node.js. */

const pinned = /^node:(\d+\.\d+\.\d+)-[a-z]+-slim@sha256:[0-9a-f]{64}$/;

/** Throws with what to do. */
export function checkBaseImage(image: string, nodeVersion: string): void {
  const [, version] = pinned.exec(image) ?? [];
  if (version === undefined) {
    throw new Error(
      `${image} is not pinned: name the base as node:${nodeVersion}-bookworm-slim@sha256:…, with the digest that "docker buildx imagetools inspect" prints for it.`,
    );
  }
  if (version !== nodeVersion) {
    throw new Error(
      `The base has Node.js ${version}, and package.json pins ${nodeVersion}: use the same in both.`,
    );
  }
}
