// A door of its own, because behind it are the readers of archives, which most command lines do not need.
export { ArchiveError, looksLikeArchive, openArchive } from "@promptreg/core/archives";
